// Imported first by every entry point. Old releases of Node have to be able to read this file, and those that import it
// up to this import.
var version = process.version.slice(1);
var parts = version.split('.').map(Number);
var major = parts[0];
var minor = parts[1];

// As `engines` in package.json.
var needed = major > 20 ? '22.12' : '20.19';
var bounds = needed.split('.').map(Number);
if (major < bounds[0] || (major === bounds[0] && minor < bounds[1])) {
  console.error(
    'Posthorn needs Node ' +
      needed +
      ' or later; this is ' +
      version +
      '. Install a newer one from https://nodejs.org.',
  );
  process.exit(1);
}
