// What the first screen loads when it is used: figures, and arranging.

export { default } from "./figure";
export { Arrange } from "./arrange";
