// Makes horizontally scrolling areas focusable by keyboard, and only those.
let asked = false;

function look() {
  asked = false;
  for (const box of document.querySelectorAll('.scroll')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
}

const ask = () => {
  if (!asked) {
    asked = true;
    requestAnimationFrame(look);
  }
};
new MutationObserver(ask).observe(document.getElementById('app'), { childList: true, subtree: true });
addEventListener('resize', ask);
