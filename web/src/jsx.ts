// What JSX is compiled to; build.mjs puts it into each file.
export { Fragment, h } from "preact";
