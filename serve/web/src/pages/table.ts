// The pages that show boards. They are loaded together.
export { default as Games } from "./games";
export { default as Learn } from "./learn";
export { default as Play } from "./play";
export { default as Rules } from "./rules";
export { default as Watch } from "./watch";
