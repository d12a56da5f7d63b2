import type { Router } from 'express';
import { invalid, notThere, parametersOf, refuse, sendNode } from '#server/networks/families/meta/sandbox';
import type { SignedIn } from './sandbox-access.ts';

const place = (id: string, name: string, address: string, city: string, country: string, postal_code: string) => ({
  id,
  name,
  address,
  city,
  country,
  postal_code,
  latitude: 37.48,
  longitude: -122.15,
});

const places = [
  place('110843418940484', 'Menlo Park, California', '', 'Menlo Park', 'United States', '94025'),
  place('166793820034304', 'Meta HQ', '1 Hacker Way', 'Menlo Park', 'United States', '94025'),
  place('111777152182368', 'Berlin, Germany', '', 'Berlin', 'Germany', '10117'),
  place('106078429431815', 'London, United Kingdom', '', 'London', 'United Kingdom', 'SW1A'),
  place('102161956492461', 'Museum of Bread', 'Salzstadelgasse 10', 'Ulm', 'Germany', '89073'),
  // Too long for a JavaScript number.
  place('17841499999999999', 'Bakery at the Corner', 'Torstrasse 1', 'Berlin', 'Germany', '10119'),
];

/** Without `fields` the search gives all of them. */
const allFields = 'id,name,address,city,country,latitude,longitude,postal_code';

/** Ids come as numbers, as in Meta's examples. */
const withNumbers = (answer: object) => JSON.stringify(answer).replace(/"id":"(\d+)"/g, '"id":$1');

export const mountPlaces = (api: Router, signedIn: SignedIn) => {
  api.get(
    '/location_search',
    signedIn('threads_location_tagging', async (req, res, { person }) => {
      const { q, query = q, latitude, longitude, fields = allFields } = parametersOf(req);
      if (query === undefined && (latitude === undefined || longitude === undefined)) {
        return refuse(res, invalid('Either q, or latitude and longitude, is required'));
      }
      // Before its review, an app finds only this place.
      const words = person.handle.includes('unreviewed') ? 'menlo park' : String(query ?? '').toLowerCase();
      const names = ['id', ...String(fields).split(',')];
      const data = places
        .filter(({ name, city }) => `${name} ${city}`.toLowerCase().includes(words))
        .map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name))));
      res.type('json').send(withNumbers({ data }));
    }),
  );

  const show = signedIn('threads_location_tagging', async (req, res) => {
    const match = places.find(({ id }) => id === req.params.id);
    return match ? sendNode(req, res, match) : refuse(res, notThere);
  });
  api.get('/:id', (req, res, next) => (places.some(({ id }) => id === req.params.id) ? show(req, res, next) : next()));
};
