// npm run pictures: follows docs/tutorial.md in a browser, and takes its pictures.
import { join, resolve } from 'node:path';
import { rest, withService } from './picture-service.mjs';

const pictures = resolve(import.meta.dirname, '../docs/pictures');

await withService(async ({ url, browser, output }) => {
  const link = /http:\/\/localhost:\d+\/welcome\/\S+/.exec(output())?.[0];
  if (link === undefined) throw new Error(`The start printed no link:\n${output()}`);
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  const take = async (name) => {
    await rest(page);
    await page.screenshot({ path: join(pictures, `tutorial-${name}.png`) });
  };
  const press = (name) => page.getByRole('button', { name }).click();

  await page.goto(link);
  await page.getByRole('button', { name: /^Connect 3 sandbox accounts$/ }).waitFor();
  await take('home');
  await press(/^Connect 3 sandbox accounts$/);
  await page.getByText(/^Sandbox accounts for .* are connected\.$/).waitFor();
  await press('Publish to the sandbox');
  await page.getByRole('region', { name: /^Out on 3 accounts in / }).waitFor();
  await take('published');
  await page.getByRole('link', { name: 'See it in the sandbox' }).click();
  await page.getByText('Hello from Posthorn').first().waitFor();
  await page.goto(url);
  await press('No client at hand? Pretend one asks');
  await page.getByRole('button', { name: 'Approve and publish' }).waitFor();
  await take('approval');
  await press('Approve and publish');
  await page.getByText(/^Out on (\d) of \1$/).waitFor();

  await page.goto(url);
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('textbox').first().waitFor();
  await rest(page);
  await page.keyboard.type('The doors are open. Come for the rye, stay for the coffee.');
  await page.waitForURL(/\/posts\/post_/);
  await page.getByText(/^Ready for \d accounts?$/).waitFor();
  await take('editor');
  await press('Schedule');
  await page.getByLabel('Time', { exact: true }).fill('tomorrow 9');
  await page.getByRole('button', { name: /^Schedule for / }).click();
  await page.getByText(/09:00/).first().waitFor();
  await page.goto(`${url}/calendar`);
  await page
    .getByText(/The doors are open/)
    .first()
    .waitFor();
  console.log(`Followed docs/tutorial.md. Its pictures are in ${pictures}`);
});
