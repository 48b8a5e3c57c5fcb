// Zooms in the boxes of `picture` and moves among them by keys; text is only ever set as text.
// `rows` has parent, depth, name, start and width of each box, in millionths of the whole. Returns
// functions that search the boxes, and that give them other starts and widths.
function flameGraph(picture, rows) {
  const told = document.getElementById("told");
  const all = Array.from(picture.children, (element, place) => {
    const [parent, depth, name, start, width] = rows[place];
    const box = { element, place, parent, depth, start, width, below: [] };
    box.name = name || element.textContent;
    return box;
  });
  for (const box of all) if (box.parent >= 0) all[box.parent].below.push(box);
  let zoomed = all[0];
  let current = all[0];

  const isAround = (box) => {
    for (let at = zoomed.parent; at >= 0; at = all[at].parent) if (all[at] === box) return true;
    return false;
  };
  function draw() {
    const room = picture.clientWidth || 1000;
    const inside = [];
    for (const box of all) {
      inside.push(box === zoomed || Boolean(inside[box.parent]));
      const around = isAround(box);
      const shown = box.width > 0 && (around || inside[box.place]);
      const style = box.element.style;
      box.element.hidden = !shown;
      if (!shown) {
        style.display = "none";
        continue;
      }
      const left = around ? 0 : (box.start - zoomed.start) / zoomed.width;
      const width = around ? 1 : box.width / zoomed.width;
      style.display = "";
      style.left = `${100 * left}%`;
      style.width = `${100 * width}%`;
      box.element.classList.toggle("around", around);
      box.element.classList.toggle("t", width * room < 4);
      box.element.textContent = width * room < 28 ? "" : box.name;
    }
  }

  function tell(box) {
    const element = box.element;
    told.replaceChildren();
    if (element.hasAttribute("href")) {
      const link = document.createElement("a");
      link.href = element.getAttribute("href");
      link.textContent = "Go to function";
      told.append(element.title, " · ", link);
    } else {
      told.append(element.title);
    }
  }

  function goTo(box, focus) {
    if (!box || box.element.hidden) return;
    current.element.tabIndex = -1;
    current = box;
    box.element.tabIndex = 0;
    if (focus) box.element.focus();
    tell(box);
  }

  function zoomTo(box) {
    zoomed = box;
    draw();
    goTo(box, true);
  }

  const beside = (step) => {
    const around = current.parent >= 0 ? all[current.parent].below : [];
    return around[around.indexOf(current) + step];
  };
  const boxOf = (element) => all[Array.prototype.indexOf.call(picture.children, element)];

  picture.addEventListener("click", (event) => {
    const element = event.target.closest("a");
    if (!element || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    zoomTo(boxOf(element));
  });
  picture.addEventListener("mouseover", (event) => {
    const element = event.target.closest("a");
    if (element) tell(boxOf(element));
  });
  picture.addEventListener("focusin", (event) => goTo(boxOf(event.target), false));
  picture.addEventListener("keydown", (event) => {
    const ways = {
      ArrowDown: () => goTo(current.below[0], true),
      ArrowUp: () => goTo(all[current.parent], true),
      ArrowLeft: () => goTo(beside(-1), true),
      ArrowRight: () => goTo(beside(1), true),
      Home: () => goTo(all[0], true),
      Escape: () => zoomTo(all[Math.max(0, zoomed.parent)]),
      " ": () => zoomTo(current),
      Enter: () => zoomTo(current),
    };
    if (ways[event.key]) {
      event.preventDefault();
      ways[event.key]();
    }
  });
  document.getElementById("all").addEventListener("click", () => zoomTo(all[0]));
  window.addEventListener("resize", draw);
  window.addEventListener("beforeprint", () => {
    zoomed = all[0];
    draw();
  });
  document.getElementById("zoom").hidden = false;
  draw();

  return {
    place(places) {
      all.forEach((box, at) => ([box.start, box.width] = places[at]));
      while (zoomed.width <= 0 && zoomed.parent >= 0) zoomed = all[zoomed.parent];
      draw();
      if (current.element.hidden) goTo(zoomed, false);
    },
    light(words) {
      for (const box of all) {
        const name = box.name.toLowerCase();
        const fits = words.every((word) => name.includes(word));
        box.element.classList.toggle("miss", words.length > 0 && !fits);
      }
    },
  };
}
