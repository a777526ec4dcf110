// If the page's modules cannot run, this classic script finds out why. It marks the document with
// the reason, and style.css shows the paragraph of index.html that has the same mark. If there is
// no mark, style.css shows the paragraph marked "server", which says that the program did not load
// or did not start. That paragraph also appears if the browser does not load this script.
if (location.protocol === "file:") document.documentElement.setAttribute("data-because", "file");
// All pages need toSorted, the newest of the browser features that they use. Chrome and Edge have
// it since version 110, Firefox since 115, Safari since 16.
else if (!("toSorted" in Array.prototype)) document.documentElement.setAttribute("data-because", "browser");
