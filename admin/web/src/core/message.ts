// What messages are, in each language and of each piece.

/** A text, or one for each category of plurals; {name} is replaced by a value. */
export type Message = string | { readonly one: string; readonly other: string };

/** All messages of a language for one piece. */
export type Messages<K extends string> = { readonly [key in K]: Message };
