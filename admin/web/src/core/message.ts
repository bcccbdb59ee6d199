// What messages are, in each language and of each piece.

/**
 * A text, or one for each category of plurals that the language has for whole numbers, as
 * Intl.PluralRules names them; other is for the rest. {name} is replaced by a value.
 */
export type Message = string | ({ readonly [category in Intl.LDMLPluralRule]?: string } & { readonly other: string });

/** All messages of a language for one piece. */
export type Messages<K extends string> = { readonly [key in K]: Message };
