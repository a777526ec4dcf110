// What JSX is compiled to; build.mjs puts it into each file, under names that no file has for anything else.
export { Fragment as jsxFragment, h as jsxElement } from "preact";
