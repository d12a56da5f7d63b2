export interface PlannedPost {
  readonly to: readonly string[];
  /** The items of a thread. */
  readonly text: readonly string[];
  /** Keys of the demo's files. */
  readonly media?: readonly string[];
  readonly options?: Readonly<Record<string, string>>;
  /** Text for single networks, instead of the original. */
  readonly instead?: Readonly<Record<string, string>>;
}

interface Slot {
  /** 0 is Sunday. */
  readonly weekday: number;
  readonly time: string;
  readonly to: readonly string[];
  readonly options?: Readonly<Record<string, string>>;
  /** One per week, in turn. The app shows the first line as title. */
  readonly posts: readonly (readonly [text: string, ...media: string[]])[];
}

/** Every account in the Pinterest sandbox has the board Recipes. */
export const recipeBoard = { 'pinterest.board': '549755885175' };

/** The week of the bakery. */
export const slots: readonly Slot[] = [
  {
    weekday: 1,
    time: '08:30',
    to: ['instagram', 'threads'],
    posts: [
      [
        'The first loaves of the week are out.\n\nDark rye, long baked, still singing when you hold it to your ear.',
        'rye-loaf',
      ],
      ['A new week, the same starter.\n\nFed at five, doubled by nine, in the dough by ten.', 'starter-jar'],
      ['What the window looks like at seven.\n\nCome early: the corner pieces go first.', 'window-morning'],
      [
        'The 6 am regulars\n\nTwo nurses, one postman, a dog called Pretzel. Good morning to all four.',
        'morning-coffee',
      ],
      ['Oven on, lights low.\n\nMondays are for rye and radio.', 'oven'],
      ['Slow start, fast sale.\n\nWe baked forty more of the small rye today.', 'rye-loaf'],
      ['Crumb check.\n\n78 % water, sixteen hours cold. This is why we wait.', 'crumb'],
    ],
  },
  {
    weekday: 1,
    time: '18:00',
    to: ['x', 'bluesky', 'mastodon'],
    posts: [
      ['What “sourdough” means on a label: nothing, by law. Ask for the hours. Ours is sixteen.'],
      ['Bread question of the week: crust or crumb? We have opinions, but you go first.'],
      ['Today’s leftovers: two seeded spelt, one rye. Half price until seven. Tomorrow they are croutons.'],
      ['We changed the mill for the whole spelt. Nuttier, a little darker, same price.'],
      ['Five kilos of butter, gone before noon. You know who you are.'],
      ['The oven was serviced today. It is now three minutes faster and very proud of itself.'],
    ],
  },
  {
    weekday: 2,
    time: '08:30',
    to: ['instagram', 'facebook', 'threads', 'pinterest'],
    options: recipeBoard,
    posts: [
      ['Cardamom week\n\nFresh pods, ground here, in every bun until Sunday.', 'cardamom-buns'],
      ['Tuesday buns, warm from eight.\n\nPearl sugar on top, a little salt below.', 'cardamom-buns'],
      [
        'Buns for the office\n\nOrder twelve by Monday evening and we keep them warm for you.',
        'cardamom-buns',
        'morning-coffee',
      ],
      ['A bun and a coffee\n\nStill 5.20. We did the sums twice.', 'morning-coffee', 'cardamom-buns'],
      ['How we shape the knots\n\nTwo turns, one tuck, no measuring tape.', 'cardamom-buns'],
      ['Second tray at ten.\n\nFor everybody who cannot be here at eight.', 'cardamom-buns'],
    ],
  },
  {
    weekday: 3,
    time: '09:00',
    to: ['instagram', 'pixelfed'],
    posts: [
      [
        'Six hundred kilos of flour, up one flight of stairs.\n\nThank you, Piet, and thank you, Piet’s back.',
        'flour-delivery',
      ],
      ['Rye, wheat, spelt.\n\nThree fields, all less than forty kilometres away.', 'flour-delivery'],
      ['The quiet hour.\n\nBetween the second and the third bake we sweep, count and drink coffee.', 'shop-front'],
      ['New on the counter: flour by the kilo.\n\nBring a jar, we fill it.', 'flour-delivery'],
      ['Croissant lamination, one take\n\nTwenty-seven layers, no music.', 'croissant'],
    ],
  },
  {
    weekday: 3,
    time: '17:00',
    to: ['linkedin', 'linkedin_page'],
    posts: [
      [
        'What a small bakery learned from counting its waste\n\nWe wrote down every unsold loaf for a month. It was nine a day. Now it is three, and the croutons sell out.',
      ],
      ['We pay the night shift for the whole night\n\nAlso when the dough is kind and they are done at four.'],
      ['Apprentices wanted\n\nThree years, every machine explained, no early shift before you are eighteen.'],
      ['Why we close at four\n\nBecause bread is best in the morning, and so are we.'],
      ['Our energy bill after a year with the new oven\n\nA third less. The old one heats a greenhouse now.'],
    ],
  },
  {
    weekday: 4,
    time: '12:30',
    to: ['pinterest', 'instagram'],
    options: recipeBoard,
    posts: [
      [
        'Three ways to eat yesterday’s bread\n\nToast and tomato, bread soup, or under a roast with all its juices.',
        'crumb',
      ],
      ['Open sandwich, the short list\n\nRye, butter, egg, cress. Salt last.', 'rye-loaf'],
      ['Soup needs a crust.\n\nWhich of ours goes with pumpkin? The spelt.', 'seeded-spelt'],
      ['Breakfast for four\n\nOne bag, ten minutes, no plan.', 'baguettes'],
      ['Butter at room temperature.\n\nThat is the whole recipe.', 'croissant'],
    ],
  },
  {
    weekday: 4,
    time: '18:00',
    to: ['tiktok', 'youtube'],
    options: { 'tiktok.privacy': 'PUBLIC_TO_EVERYONE' },
    posts: [
      ['Thirty seconds in the oven room\n\nSound on for the crust.', 'night-film'],
      ['The night shift, from ten to five\n\nJonas, one radio, four hundred loaves.', 'night-film'],
      ['Watch it rise\n\nFour hours in seven seconds.', 'night-film'],
      ['How hot is hot\n\n260 degrees, falling. The door stays shut.', 'night-film'],
      ['What the oven sees\n\nNo filter, only flour.', 'night-film'],
    ],
  },
  {
    weekday: 5,
    time: '08:30',
    to: ['facebook', 'google_business', 'x'],
    posts: [
      ['Weekend orders close at 16:00. Write us, call us, or tell Ines at the counter.', 'shop-front'],
      ['Friday means challah until it is gone. Twelve today, braided by Ines.', 'shop-front'],
      ['We are open this Saturday from 7:30, with the stall outside if it stays dry.', 'market-stall'],
      ['Coffee is on us for everybody who brings back five bread bags.', 'morning-coffee'],
      ['The long weekend: Saturday 7:30 to 13:00, Sunday closed, Monday as always.', 'shop-front'],
    ],
  },
  {
    weekday: 6,
    time: '09:00',
    to: ['instagram', 'facebook'],
    posts: [
      ['Farmers’ market, rain or shine.\n\nWe are between the cheese and the flowers.', 'market-stall'],
      ['Market morning.\n\nSeeded spelt went first, as it always does.', 'market-stall', 'seeded-spelt'],
      ['The queue was friendly today.\n\nThank you for waiting, and for the plums.', 'shop-front'],
      ['A bag for the weekend\n\nTwo baguettes, one rye, half a dozen buns.', 'baguettes'],
      ['Sold out at 11:40.\n\nNext week we bring two more crates.', 'market-stall'],
    ],
  },
  {
    weekday: 0,
    time: '10:30',
    to: ['instagram', 'mastodon'],
    posts: [
      ['Sunday, slowly.\n\nThe starter works, we do not.', 'starter-jar'],
      ['A croissant somebody else has baked.\n\nField research.', 'croissant'],
      ['Last of the rye with too much butter.\n\nNobody is looking.', 'rye-loaf'],
      ['Day of rest, day of dough.\n\nSixteen hours from now it is Monday.', 'starter-jar'],
      ['Reading about millstones.\n\nSend recommendations, and coffee.', 'morning-coffee'],
    ],
  },
];
