/** Runs in the browser, below the script of all forms: a post is a file or more, a draft, and then perhaps more than that. */
export const composeScript = `
const uploads = new Map();

// A second try sends no file again, and makes no second draft.
const upload = async (file, alt) => {
  const key = JSON.stringify([file.name, file.size, file.lastModified, alt]);
  if (!uploads.has(key)) {
    const form = new FormData();
    form.append('file', file);
    form.append('alt', alt);
    uploads.set(key, (await ask('POST', '/api/media', form)).id);
  }
  return uploads.get(key);
};

const compose = async (form, data) => {
  const act = (name, input) => ask('POST', '/api/app/actions/posts.' + name, input);
  const [body, then, at] = ['body', 'then', 'at'].map((name) => data.get(name));
  if (then === 'schedule' && !at) throw issue('at', 'Choose when it goes out.');
  const accountIds = data.getAll('accountIds[]');
  const alts = data.getAll('alt');
  const media = [];
  for (const [index, file] of data.getAll('file').entries()) {
    if (file.size > 0) media.push(await upload(file, alts[index]));
  }
  const isNew = !form.post;
  form.post ??= await act('create', { accountIds, body });
  const { id } = form.post;
  if (!isNew || media.length > 0) await act('update', { id, accountIds, versions: [{ content: [{ body, media }] }] });
  try {
    if (then === 'publish') await act('publishNow', { id });
    if (then === 'schedule') await act('schedule', { id, at: new Date(at).toISOString() });
  } catch (error) {
    throw Object.assign(error, { before: 'It is saved as a draft. ' });
  }
  return {};
};

const alts = document.querySelector('[data-alts]');
if (alts) {
  const show = ({ files }) =>
    alts.replaceChildren(
      ...[...files].map((file) => {
        const label = document.createElement('label');
        const input = document.createElement('input');
        input.name = 'alt';
        input.maxLength = 2000;
        label.append('What ' + file.name + ' shows, for people who cannot see it', input);
        return label;
      }),
    );
  const field = document.querySelector('input[type=file]');
  field.addEventListener('change', () => show(field));
}

const zone = document.querySelector('[data-zone]');
if (zone) zone.textContent = ', ' + Intl.DateTimeFormat().resolvedOptions().timeZone;
`;
