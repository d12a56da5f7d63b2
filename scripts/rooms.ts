// A room imports only rooms below it, which `npm run imports` checks. docs/architecture.md shows those of server/.

/** The rooms of server/, from the top floor down, each with what it is for. */
export const serverRooms = {
  wiring: 'starts and stops, opens the rooms, has a file for each command',
  doors: 'read credentials and bodies, and answer',
  operation: 'what the operator sees, and what brings data back',
  simulation: 'networks to try things on',
  agents: 'admission, and what people and agents run through it',
  planning: 'what surrounds a post before it goes out',
  delivery: 'sends posts, and reads the numbers back',
  writing: 'posts, and how they came to be',
  connecting: 'accounts, and the keys of networks',
  people: 'workspaces, members and how they prove who they are',
  messaging: 'tells people and programs what happened',
  media: 'the library of pictures and videos',
  access: 'who may what, and what is recorded of it',
  networks: 'one folder for each social network',
  base: 'knows nothing of posts',
} as const;

/** The rooms of web/. Above them are the files that start the app and list its pages. */
export const webRooms = {
  pages: 'a folder for each page; none imports another',
  shell: 'what surrounds every page',
  live: 'events from the server, and what they make outdated',
  requests: 'what agents and colleagues ask for, as cards',
  'send-off': 'a post on its way out',
  previews: 'posts as each network shows them',
  parts: 'what pages are made of',
  base: 'asks the server, and knows the session, the time and addresses',
  theme: 'colours, type and space',
} as const;
