(function () {
  var input = document.getElementById("filter");
  var items = document.querySelectorAll("[data-name]");
  input.parentNode.hidden = false;
  input.addEventListener("input", function () {
    var wanted = input.value.trim().toLowerCase();
    items.forEach(function (item) {
      item.hidden = item.getAttribute("data-name").toLowerCase().indexOf(wanted) < 0;
    });
  });
})();
