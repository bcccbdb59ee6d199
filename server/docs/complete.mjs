// What can stand at a place in a text of GraphQL, by the schema that the reader may use.

const tokens = /#[^\n]*|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"?|\.\.\.|[A-Za-z_]\w*|-?\d[\d.eE+-]*|[^\s,]/g;

export const named = (type) => type?.replace(/[[\]!]/g, '');

const roots = { query: 'Query', mutation: 'Mutation' };
const ofScalar = { Boolean: ['true', 'false'] };

// placeAt walks over the text before a place: the innermost frame that is open there, and
// what was said last in it.
function placeAt(types, before) {
  const frames = [{ kind: 'document' }];
  const memberOf = (frame, name) => types[frame.type]?.fields?.find((member) => member.name === name);
  const open = {
    '{': (top) => (top.kind === 'document' ? { kind: 'fields', type: top.on ?? roots[top.operation ?? 'query'] } : top.kind === 'fields' ? { kind: 'fields', type: top.on ?? named(top.member?.type) ?? top.type } : { kind: 'input', type: named(top.member?.type) }),
    '(': (top) => (top.kind === 'fields' ? { kind: 'arguments', members: top.directive ? [{ name: 'if', type: 'Boolean!' }] : (top.member?.arguments ?? []) } : { kind: 'variables' }),
    '[': (top) => ({ ...top, kind: 'list', value: true }),
  };
  for (const [token] of before.matchAll(tokens)) {
    const top = frames.at(-1);
    const inFields = top.kind === 'fields';
    if (open[token]) frames.push(open[token](top));
    else if ('})]'.includes(token)) {
      if (frames.length > 1) frames.pop();
      const now = frames.at(-1);
      if (token !== ')') Object.assign(now, now.kind === 'document' ? { on: undefined, operation: undefined, value: false } : { on: undefined, spread: false, value: now.kind === 'list' });
    } else if (token === '...') Object.assign(top, { spread: true, on: undefined });
    else if (token === '@') top.directive = true;
    else if (token === ':') top.value = !inFields;
    else if (token === '=' || token === '|' || token === '&') top.value = token === '=' && top.kind !== 'variables';
    else if (/^[A-Za-z_]/.test(token)) {
      if (top.kind === 'document') {
        if (token in roots) Object.assign(top, { operation: token, on: undefined });
        else if (top.said === 'on') top.on = token;
      } else if (inFields && top.spread) {
        if (top.said === 'on') Object.assign(top, { on: token, spread: false });
        else if (token !== 'on') top.spread = false;
      } else if (inFields && !top.directive) Object.assign(top, { member: memberOf(top, token), on: undefined });
      else if (!top.value && !inFields) top.member = top.members ? top.members.find((member) => member.name === token) : memberOf(top, token);
      else if (top.kind !== 'list') top.value = false;
      if (top.said === '@' && inFields) top.directive = before.endsWith(token);
    } else if (/^["\d-]/.test(token) && top.kind !== 'list') top.value = false;
    frames.at(-1).said = token;
  }
  return frames.at(-1);
}

// offered is what can stand at the innermost frame.
function offered(types, place) {
  const member = ({ name, type }) => ({ name, type });
  if (place.kind === 'document') {
    if (place.said === 'on') return Object.keys(types).filter((name) => types[name].fields && types[name].kind !== 'INPUT_OBJECT').map((name) => ({ name }));
    return [...Object.keys(roots).filter((name) => types[roots[name]]?.fields), 'fragment'].map((name) => ({ name }));
  }
  if (place.kind === 'variables') return place.value ? [...new Set(Object.values(types).flatMap((type) => (type.fields ?? []).flatMap((field) => (field.arguments ?? []).map((argument) => named(argument.type)))))].map((name) => ({ name })) : [];
  if (place.kind === 'fields') {
    const type = types[place.type];
    if (place.spread) return place.said === 'on' ? (type?.kind === 'UNION' ? type.names : [place.type]).map((name) => ({ name })) : [{ name: 'on' }];
    return [...(type?.fields ?? []).map(member), { name: '__typename', type: 'String!' }];
  }
  if (!place.value) return (place.members ?? types[place.type]?.fields ?? []).map((each) => ({ ...member(each), after: ': ' }));
  const type = named(place.member?.type);
  return (ofScalar[type] ?? (types[type]?.kind === 'ENUM' ? types[type].names : [])).map((name) => ({ name }));
}

// completions are what the name before a place can become: the name as it is, and the rest.
export function completions(types, text, at) {
  const before = text.slice(0, at);
  const [typed] = /(?<![\w$"])[A-Za-z_]?\w*$/.exec(before) ?? [''];
  const start = before.slice(0, before.length - typed.length);
  const inside = [...start.matchAll(tokens)].at(-1)?.[0] ?? '';
  if (/^(#|"(?!.*"$))/.test(inside) && start.endsWith(inside) || start.endsWith('$')) return { typed, options: [] };
  const small = typed.toLowerCase();
  const options = offered(types, placeAt(types, start)).filter(({ name }) => name.toLowerCase().includes(small) && name !== typed);
  return { typed, options: options.sort((a, b) => b.name.toLowerCase().startsWith(small) - a.name.toLowerCase().startsWith(small)) };
}
