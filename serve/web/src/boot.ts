// If the page's modules cannot run, this classic script finds out why. It marks the document with
// the reason, and style.css shows the paragraph of index.html with the same mark. Without a mark,
// style.css shows the paragraph with the mark "server": the program did not load or did not start.
// So that paragraph also appears if the browser does not load this script.
if (location.protocol === "file:") document.documentElement.setAttribute("data-because", "file");
// All pages need toSorted, which is newer than all other features that they need. Chrome and Edge
// have it since version 110, Firefox since 115, Safari since 16.
else if (!("toSorted" in Array.prototype)) document.documentElement.setAttribute("data-because", "browser");
