// The button names the handle that is being typed.
(() => {
  const field = document.querySelector('input[name=handle]');
  const name = document.querySelector('.main .handle');
  if (!field || !name) return;
  field.addEventListener('input', () => {
    const handle = field.value.trim().replace(/^@/, '');
    name.textContent = handle === '' ? '' : `@${handle}`;
  });
})();
