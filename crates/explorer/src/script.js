/* Conveniences. Every page works without them. */
(function () {
  "use strict";

  /* Filters the list of keyspaces of a document. */
  var filter = document.getElementById("filter");
  if (filter) {
    var items = document.querySelectorAll("[data-name]");
    filter.parentNode.hidden = false;
    filter.addEventListener("input", function () {
      var wanted = filter.value.trim().toLowerCase();
      items.forEach(function (item) {
        item.hidden = item.getAttribute("data-name").toLowerCase().indexOf(wanted) < 0;
      });
    });
  }

  /* On a narrow screen the list of keyspaces begins closed. */
  var contents = document.querySelector(".contents details");
  if (contents && !window.matchMedia("(min-width: 72rem)").matches) {
    contents.removeAttribute("open");
  }

  /* Copies whole keys. */
  document.querySelectorAll("[data-copy]").forEach(function (element) {
    if (!navigator.clipboard) {
      return;
    }
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy-button";
    button.textContent = "Copy";
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(element.textContent).then(function () {
        button.textContent = "Copied";
      });
    });
    element.after(" ", button);
  });

  /* Keys: "/" searches, "j" and "k" go to the next and the previous page. */
  document.addEventListener("keydown", function (event) {
    var inField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (inField || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    var search = document.querySelector(".search input") || filter;
    var link = { j: "a[rel=next]", k: "a[rel=prev]" }[event.key];
    if (event.key === "/" && search) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (link && document.querySelector(link)) {
      document.querySelector(link).click();
    }
  });

  /* Leaves empty fields out of addresses. */
  document.querySelectorAll("form[method=get]").forEach(function (form) {
    form.addEventListener("submit", function () {
      form.querySelectorAll("input, select").forEach(function (field) {
        if (!field.value) {
          field.disabled = true;
        }
      });
    });
  });
})();
