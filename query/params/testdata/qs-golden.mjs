// Writes qs-golden.json: what npm's qs, as the reference API configures it,
// makes of queries of our own. Run beside an installed qs:
//
//   npm i qs@6.17.1 && node qs-golden.mjs > qs-golden.json
import qs from "qs";

const options = { strictNullHandling: true, arrayLimit: 100, depth: 20, parameterLimit: 1000 };

const written = `
a=b
a
a=
=b
&
&&a=b&&
a=b=c
a==b
a&a
a=1&a
a&a=1
a=1&a=
a=&a=1
a=+b+
a+b=c+d
a=%2B
a=%20&b=%26&c=%3D&d=%25
caf%C3%A9=%E2%9C%93
café=✓
a=%F0%9F%8D%95
a=%zz
a=%
a=%4
a=%41%zz+b
a=x%5Bx%5D
a%zz=b
a[b%zz]=c
a%5Bb%5D%5Bc%5D=d
a%5bb%5d=c
a%255Bb%255D=c
a[%24eq]=b
a[b%26c]=d
a[b%3Dc]=d
a[b+c]=d
a[b]=c
a[b][c][d]=e
a[b]
a[b]=
a[b]=c&a[d]=e
a[b]=c&a[b]=d
a[b]=c&a[b]=d&a[b]=e
a[0]=b
a[0]=b&a[1]=c
a[1]=c&a[0]=b
a[5]=b
a[5]=b&a[2]=c
a[5]=b&a[2]=c&a[5]=d
a[0]=b&a[0]=c
a[0]=b&a[1]=c&a[0]=d
a[]=b
a[]=b&a[]=c
a[]
a[]=
a[]=&a[]=b
a[]&a[]=b
a[]=b&a[0]=c
a[0]=b&a[]=c
a[1]=b&a[]=c
a[]=b&a[1]=c
a[]=b&a=c
a=b&a[]=c
a=b&a[0]=c
a=b&a[1]=c
a=b&a[2]=c&a[1]=d
a=b&a[1]=c&a[2]=d
a[0]=b&a=c
a=b&a=c&a[0]=d
a=b&a=c&a[5]=d
a=b&a=c&a[x]=d
a[x]=d&a=b&a=c
a[0]=x&a[b]=y
a[b]=y&a[0]=x
a[b]=y&a[]=x
a[]=x&a[b]=y
a[2]=x&a[b]=y
a[0]=x&a[b]=y&a[0]=z
a[0]=x&a[b]=y&a[]=z
a[b]=x&a=y
a=y&a[b]=x
a[b]=x&a
a&a[b]=x
a[b]=x&a=
a=&a[b]=x
a[0]=x&a
a[0]=x&a=
a=&a[0]=x
a&a[0]=x
a[b]=x&a=y&a[c]=z
a[b]=x&a=y&a[0]=z
a[b]=x&a=y&a[1]=z
a[b]=x&a=y&a[]=z
a[b]=x&a=y&a[0][c]=z
a[b]=x&a=y&a[200]=z
a[b]=x&a[c]=y&a=z
a[b][c]=x&a[b]=y
a[b]=y&a[b][c]=x
a[b][c]=x&a[b]=y&a[b][d]=z
a[99]=x
a[100]=x
a[101]=x
a[200]=x
a[200]=x&a=y
a=y&a[200]=x
a=y&a=z&a[200]=x
a[0]=y&a[200]=x
a[200]=x&a[0]=y
a[200]=x&a[]=y
a[200]=x&a[]=y&a[]=z
a[]=y&a[200]=x
a[200]=x&a[b]=y
a[b]=y&a[200]=x
a[b]=y&a[200]=x&a=z
a[5]=x&a[200]=y
a[99]=x&a=y
a[99]=x&a[]=y
a[200][b]=x
a[0][b]=x&a[0][c]=y
a[0][b]=x&a[1][b]=y
a[0][b]=x&a[0]=y
a[0]=y&a[0][b]=x
a[][b]=x
a[][b]=x&a[][c]=y
a[][b]=x&a[][b]=y
a[][b]=x&a[1][b]=y
a[][]=x
a[][]=x&a[][]=y
a[][0]=x
a[][1]=x&a[][1]=y
a[0][]=x
a[0][]=x&a[0][]=y
a[0][0]=x&a[0][1]=y&a[1][0]=z
a[0][0]=x&a[0]=y
a[][][b]=x
a[][200]=x
a[][200][]=x
a[b][]=x&a[b][]=y
a[b][0]=x&a[b]=y
a[00]=x
a[01]=x
a[-1]=x
a[+1]=x
a[1.5]=x
a[1e1]=x
a[ 1]=x
a[0x1]=x
0=x
5=x
[]=x
[]=x&[]=y
[0]=x
[1]=x&[0]=y
[a]=x
[a][b]=x
[a]=x&a=y
[]
[
]
[=x
]=x
a[=x
a]=x
a[b=x
a[b=x]
a[b]]=x
a[[b]]=x
a[[b]=x
a[[]]=x
a[[=x
a[]]=x
a][b]=x
a[b]c=x
a[b]c[d]=x
a[b].c=x
a.b=x
a[b.c]=x
a.b[c.d]=x
a[b]=c]=d
a=b]=c
a=[b]
a=[b]=c
a[b]=[]=c
a;b=c;d
a[b,c]=d,e
a=b,c
__proto__=x
__proto__[a]=x
a[__proto__]=x
a[__proto__][b]=x&a[c]=y
a[constructor]=x
a[constructor][prototype][b]=x
constructor=x&a=y
a[hasOwnProperty]=x&a[b]=y
a[prototype]=x
a[length]=x
a[b[toString]]=x
a[b[toString=x
toString&valueOf
a[0][toString]=x
filters[name][$eq]=Chez Ana&sort=name:desc&fields[0]=name&fields[1]=stars&pagination[pageSize]=5
filters%5Bname%5D%5B%24containsi%5D=%C3%A9toile&populate%5Bchef%5D%5Bfields%5D%5B0%5D=name
filters[$or][0][name][$eq]=a&filters[$or][1][stars][$gt]=3&filters[$or][1][vegan]=true
filters[$and][0][$or][0][a]=1&filters[$and][0][$or][1][b]=2&filters[$and][1][c][$not][$contains]=3
filters[name][$in][0]=a&filters[name][$in][1]=b
filters[name][$in][5]=x&filters[name][$in][200]=y
filters[name][$in][]=a&filters[name][$in][]=b
filters[name][$in]=a&filters[name][$in]=b
filters[name][$null]
filters[]=x
filters=x
populate=*
populate[]=chef
populate[0]=chef&populate[1]=categories.restaurants
populate[chef][populate]=restaurants&populate=categories
populate[chef][populate][restaurants][populate]=*&populate[cover]=true
populate[sections][on][section.quote][fields][0]=text&populate[sections][on][section.cta]=true
populate=chef&populate[cover]=true
sort[0]=name&sort[1]=stars:desc
sort[0][chef][name]=asc&sort[1][name]=desc
sort[name]=desc&sort[stars]=asc
_q=100%25&locale=fr&status=draft
pagination[page]=1&pagination[withCount]
a[b][c][d][e][f][g][h][i][j][k][l][m][n][o][p][q][r][s][t][u]=v
[b][c][d][e][f][g][h][i][j][k][l][m][n][o][p][q][r][s][t][u]=v
`.split("\n").slice(1, -1);

// Random queries over a few names that meet often; a fixed generator, so that
// the file comes out the same each time.
let seed = 20240229;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 16) % n;
};
const pick = (list) => list[random(list.length)];
const brackets = ["", "", "[]", "[0]", "[1]", "[2]", "[7]", "[150]", "[x]", "[y]", "[$eq]", "[x][", "]"];
const value = () => pick(["=1", "=2", "=3", "=", "", "=a%20b", "=c+d", "=%zz", "=e]=f"]);
const param = () => pick(["a", "a", "a", "b", "filters", ""]) + pick(brackets) + pick(brackets) + pick(["", "", "[]", "[x]", "[0]"]) + value();

const queries = new Set(written);
while (queries.size < written.length + 350) {
  queries.add(Array.from({ length: 1 + random(5) }, param).join("&"));
}

const rows = [...queries].map((query) => JSON.stringify({ query, want: qs.parse(query, options) }));
console.log("[\n" + rows.join(",\n") + "\n]");
