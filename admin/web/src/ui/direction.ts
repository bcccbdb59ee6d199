// The direction of the page: that of the language it is shown in.

export function isRightToLeft(): boolean {
  return document.documentElement.dir === "rtl";
}

const mirrored: { readonly [key: string]: string } = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" };

/** The key that does the same in a page from left to right: there the right arrow leads on. */
export function leftToRight(key: string): string {
  return (isRightToLeft() && mirrored[key]) || key;
}
