// A classic script that finds out why the pages do not start, where their modules cannot. It marks
// the document, and style.css shows the paragraph of index.html with the same mark. Without a mark
// the page shows the paragraph about the server, so this paragraph also appears if this script does
// not load.
if (location.protocol === "file:") document.documentElement.setAttribute("data-because", "file");
// toSorted is the newest feature that all pages need. Chrome and Edge have it since version 110,
// Firefox since 115, Safari since 16.
else if (!("toSorted" in Array.prototype)) document.documentElement.setAttribute("data-because", "browser");
