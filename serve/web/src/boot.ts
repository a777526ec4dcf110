// A classic script that says why the pages do not start, where their modules cannot say it. It
// marks the document, and style.css shows the paragraph of index.html with the same mark. Without
// a mark it is the one about the server, which stands for itself if this script does not arrive.
if (location.protocol === "file:") document.documentElement.setAttribute("data-because", "file");
// The newest of what the pages need everywhere. Chrome and Edge have it from 110 on, Firefox from 115, Safari from 16.
else if (!("toSorted" in Array.prototype)) document.documentElement.setAttribute("data-because", "browser");
