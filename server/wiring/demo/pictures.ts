import sharp from 'sharp';
import { film } from './film.ts';

const width = 1200;
const height = 1000;

interface DemoFile {
  readonly key: string;
  readonly name: string;
  readonly alt?: string;
  readonly bytes: () => Promise<Buffer>;
}

interface Drawing {
  readonly key: string;
  /** Absent where the demo shows a missing alt text. */
  readonly alt?: string;
  readonly svg: string;
}

const times = <T>(count: number, draw: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => draw(index));
const room = (wall: string, table: string) =>
  `<rect width="1200" height="1000" fill="${wall}"/><rect y="760" width="1200" height="240" fill="${table}"/>`;
const ellipse = (x: number, y: number, rx: number, ry: number, fill: string) =>
  `<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"/>`;
/** Arranged like the seeds of a sunflower. */
const spread = (i: number, x: number, y: number, dx: number, dy: number, rx: number, ry: number, fill: string) =>
  ellipse(x + Math.cos(i * 2.4) * Math.sqrt(i) * dx, y + Math.sin(i * 2.4) * Math.sqrt(i) * dy, rx, ry, fill);
const line = (path: string, colour: string, thick: number) =>
  `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${thick}" stroke-linecap="round"/>`;
const box = (x: number, y: number, w: number, h: number, fill: string, round = 0) =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${round}" fill="${fill}"/>`;

const loaf = (x: number, y: number, size: number, crust = '#b8713a') =>
  `<g transform="translate(${x} ${y}) scale(${size})">${ellipse(0, 10, 330, 40, '#00000033')}
<path d="M-320 0 C-320 -190 -190 -300 0 -300 C190 -300 320 -190 320 0 C200 30 -200 30 -320 0 Z" fill="${crust}"/>
<path d="M-250 -30 C-240 -170 -150 -250 0 -255 C140 -250 230 -170 245 -40 C150 -10 -150 -10 -250 -30 Z" fill="#ffffff14"/>
${line('M-190 -110 Q0 -30 190 -110', '#f3d9a8', 20)}${line('M-160 -180 Q0 -110 160 -180', '#f3d9a8', 18)}${line('M-100 -245 Q0 -195 100 -245', '#f3d9a8', 16)}</g>`;

const bun = (x: number, y: number) =>
  `${ellipse(x + 6, y + 14, 120, 112, '#00000022')}${ellipse(x, y, 120, 112, '#cf8f45')}${ellipse(x, y - 4, 104, 96, '#e5ac64')}
${line(`M${x - 60} ${y + 10} C${x - 60} ${y - 70} ${x + 70} ${y - 70} ${x + 62} ${y + 8} C${x + 55} ${y + 66} ${x - 30} ${y + 60} ${x - 26} ${y + 6} C${x - 20} ${y - 28} ${x + 28} ${y - 26} ${x + 24} ${y + 6}`, '#a3612c', 18)}
${times(6, (i) => ellipse(x + Math.cos(i * 2.4) * 72, y + Math.sin(i * 2.4) * 66, 8, 8, '#ffffff')).join('')}`;

const shop = (wall: string, light: string) =>
  `<rect width="1200" height="1000" fill="${wall}"/>${box(0, 820, 1200, 180, '#2b2f3a')}${box(110, 250, 620, 480, light)}${box(800, 250, 270, 570, '#3a2a22')}${box(850, 310, 170, 230, light, 6)}
${times(9, (i) => `<path d="M${90 + i * 114} 130 h114 v110 q-57 70 -114 0 z" fill="${i % 2 ? '#f7f1e6' : '#b5473c'}"/>`).join('')}
${box(110, 590, 620, 18, '#7a5130')}${times(4, (i) => loaf(200 + i * 148, 585, 0.2)).join('')}${times(4, (i) => loaf(200 + i * 148, 725, 0.2, '#9c5c2e')).join('')}`;

const cup = (x: number, y: number) =>
  `${ellipse(x, y, 260, 240, '#ffffff')}${ellipse(x, y, 190, 176, '#e7e3da')}${ellipse(x, y, 165, 152, '#6b3f22')}
<path d="M${x} ${y + 70} C${x - 120} ${y - 10} ${x - 60} ${y - 90} ${x} ${y - 40} C${x + 60} ${y - 90} ${x + 120} ${y - 10} ${x} ${y + 70} Z" fill="#f0dcc0"/>`;

const jar = (x: number, y: number, level: number) =>
  `${box(x - 150, y - 420, 300, 430, '#f4f2ec', 30)}${box(x - 132, y - level, 264, level - 8, '#cda671', 22)}${box(x - 165, y - 470, 330, 62, '#46566b', 14)}
${times(12, (i) => ellipse(x - 100 + ((i * 67) % 200), y - 30 - ((i * 53) % (level - 60)), 9 + (i % 3) * 4, 9 + (i % 3) * 4, '#e6cda6')).join('')}`;

const croissant = (x: number, y: number, size: number) =>
  `<g transform="translate(${x} ${y}) scale(${size})"><path d="M-330 150 C-330 -90 -170 -220 0 -220 C170 -220 330 -90 330 150 C330 200 250 190 235 140 C190 20 100 -40 0 -40 C-100 -40 -190 20 -235 140 C-250 190 -330 200 -330 150 Z" fill="#cd8a41"/>
${line('M0 -215 L0 -45', '#8f5524', 16)}${line('M-150 -180 Q-110 -90 -95 -25', '#8f5524', 16)}${line('M150 -180 Q110 -90 95 -25', '#8f5524', 16)}${line('M-275 -60 Q-215 10 -190 60', '#8f5524', 16)}${line('M275 -60 Q215 10 190 60', '#8f5524', 16)}</g>`;

const sack = (x: number, y: number, label: string) =>
  `<path d="M${x - 170} ${y} C${x - 210} ${y - 200} ${x - 190} ${y - 380} ${x - 130} ${y - 430} L${x + 130} ${y - 430} C${x + 190} ${y - 380} ${x + 210} ${y - 200} ${x + 170} ${y} Z" fill="#e9dcc3"/>
${box(x - 140, y - 470, 280, 60, '#d8c7a6', 20)}${line(`M${x - 120} ${y - 410} H${x + 120}`, '#9c7b4d', 12)}${ellipse(x, y - 190, 92, 92, label)}
${line(`M${x} ${y - 130} V${y - 250} M${x} ${y - 180} q-50 -14 -52 -60 M${x} ${y - 180} q50 -14 52 -60 M${x} ${y - 215} q-40 -10 -42 -46 M${x} ${y - 215} q40 -10 42 -46`, '#f4e7c8', 12)}`;

const drawings: readonly Drawing[] = [
  {
    key: 'rye-loaf',
    alt: 'A dark rye loaf with a scored crust on a wooden board',
    svg: `${room('#3d322c', '#8a6848')}${loaf(600, 800, 1.35)}`,
  },
  {
    key: 'cardamom-buns',
    alt: 'Six cardamom buns on a baking tray, sprinkled with pearl sugar',
    svg: `<rect width="1200" height="1000" fill="#dfe5e2"/>${box(150, 90, 900, 820, '#b9c2bf', 24)}${box(185, 125, 830, 750, '#f2ece1', 12)}${times(6, (i) => bun(360 + (i % 3) * 245, 340 + Math.floor(i / 3) * 320)).join('')}`,
  },
  { key: 'shop-front', svg: shop('#24324f', '#ffd98a') },
  {
    key: 'flour-delivery',
    alt: 'Three sacks of flour by the back door',
    svg: `${room('#cfd8d3', '#8d8779')}${sack(220, 850, '#a4713a')}${sack(980, 850, '#5d7a58')}${sack(600, 910, '#b5473c')}`,
  },
  {
    key: 'night-shift',
    svg: `<rect width="1200" height="1000" fill="#141b2d"/>${ellipse(950, 190, 80, 80, '#f1e3b8')}${ellipse(985, 170, 70, 70, '#141b2d')}${box(180, 330, 620, 500, '#3b2f2b', 20)}${box(250, 420, 480, 260, '#ff9d3c', 16)}${times(3, (i) => loaf(340 + i * 150, 660, 0.2)).join('')}${box(0, 830, 1200, 170, '#0c111d')}`,
  },
  {
    key: 'croissant',
    alt: 'A croissant on a white plate',
    svg: `<rect width="1200" height="1000" fill="#c5d1cc"/>${ellipse(600, 520, 470, 430, '#f6f4ef')}${ellipse(600, 520, 380, 345, '#eae6df')}${croissant(600, 560, 1.05)}`,
  },
  {
    key: 'starter-jar',
    alt: 'A glass jar of bubbling rye starter',
    svg: `${room('#e8e0d2', '#d3c4ab')}${jar(600, 830, 290)}`,
  },
  {
    key: 'baguettes',
    alt: 'Two baguettes in a paper bag with the mark of the bakery',
    svg: `<rect width="1200" height="1000" fill="#efc23c"/>${box(430, 120, 110, 480, '#c98545', 55)}${box(650, 80, 110, 520, '#a9652f', 55)}<path d="M360 380 l60 -30 l60 40 l60 -40 l60 40 l60 -40 l60 40 l60 -30 l60 20 v520 h-480 z" fill="#f7efdd"/>${ellipse(600, 660, 75, 75, '#171a21')}${ellipse(600, 660, 55, 55, '#f7efdd')}`,
  },
  {
    key: 'morning-coffee',
    alt: 'A cup of coffee with a heart in the milk, seen from above',
    svg: `<rect width="1200" height="1000" fill="#2f3646"/>${cup(600, 500)}${box(940, 260, 26, 480, '#c9cdd6', 13)}`,
  },
  {
    key: 'oven',
    alt: 'Loaves in the lit oven',
    svg: `<rect width="1200" height="1000" fill="#4a4542"/>${box(140, 180, 920, 640, '#2a2523', 30)}${box(210, 260, 780, 480, '#f08a2c', 20)}${box(210, 640, 780, 20, '#3a2a20')}${times(3, (i) => loaf(360 + i * 240, 640, 0.34)).join('')}`,
  },
  {
    key: 'seeded-spelt',
    alt: 'A spelt loaf covered with sunflower seeds and linseed',
    svg: `${room('#e6e2d8', '#a9835a')}${loaf(600, 800, 1.3, '#a5652f')}${times(48, (i) => spread(i, 600, 600, 42, 22, 12, 6, i % 2 ? '#f0dfb4' : '#4a3524')).join('')}`,
  },
  {
    key: 'market-stall',
    alt: 'Our stall on the market with bread on the counter',
    svg: `<rect width="1200" height="1000" fill="#bcd6e2"/>${box(0, 840, 1200, 160, '#8b9a74')}${box(180, 260, 24, 600, '#7a5130')}${box(996, 260, 24, 600, '#7a5130')}${times(8, (i) => `<path d="M${160 + i * 110} 180 h110 v90 q-55 60 -110 0 z" fill="${i % 2 ? '#f7f1e6' : '#4f7d5c'}"/>`).join('')}${box(160, 600, 880, 260, '#96693c')}${times(5, (i) => loaf(270 + i * 165, 600, 0.24)).join('')}`,
  },
  {
    key: 'crumb',
    alt: 'The open crumb of a sliced loaf',
    svg: `<rect width="1200" height="1000" fill="#6d5a4a"/>${ellipse(600, 520, 460, 340, '#8f5527')}${ellipse(600, 520, 420, 302, '#eed9b0')}${times(60, (i) => spread(i, 600, 520, 46, 33, 10 + (i % 4) * 8, 8 + (i % 3) * 6, '#d6b983')).join('')}`,
  },
  { key: 'window-morning', svg: shop('#9fb7c9', '#fff1c9') },
];

/** A loaf rises in the oven, and the light with it. */
const nightFilm = () => {
  const [filmWidth, filmHeight] = [720, 1280];
  const frames = times(24, (i) => {
    const grown = 0.35 + 0.65 * Math.sin((i / 23) * (Math.PI / 2));
    const glow = Math.round(90 + 120 * grown).toString(16);
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${filmWidth}" height="${filmHeight}" viewBox="0 0 ${filmWidth} ${filmHeight}"><rect width="720" height="1280" fill="#141b2d"/>${box(60, 330, 600, 620, '#2a2523', 30)}${box(110, 390, 500, 480, `#ff${glow}3c`, 20)}${loaf(360, 850, 0.68 * grown)}${ellipse(590, 160, 60, 60, '#f1e3b8')}${ellipse(615, 145, 52, 52, '#141b2d')}</svg>`;
  });
  return film(frames, { width: filmWidth, height: filmHeight, frameMs: 250 });
};

export const demoFiles: readonly DemoFile[] = [
  ...drawings.map(({ key, alt, svg }) => ({
    key,
    name: `${key}.jpg`,
    ...(alt !== undefined && { alt }),
    bytes: () =>
      sharp(
        Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${svg}</svg>`,
        ),
      )
        .jpeg({ quality: 85 })
        .toBuffer(),
  })),
  { key: 'night-film', name: 'night-shift.webm', alt: 'A loaf rises in the oven at night', bytes: nightFilm },
];
