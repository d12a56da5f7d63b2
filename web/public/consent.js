// The button names the handle that is being typed, or was typed before this ran.
(() => {
  const field = document.querySelector('input[name=handle]');
  const name = document.querySelector('.main .handle');
  if (!field || !name) return;
  const update = () => {
    const handle = field.value.trim().replace(/^@/, '');
    name.textContent = handle === '' ? '' : `@${handle}`;
  };
  field.addEventListener('input', update);
  update();
})();
