import { Router } from 'express';

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" role="img" aria-label="Posthorn"><rect width="32" height="32" rx="8" fill="#F5B90A"/><g fill="none" stroke="#14171F" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"><circle cx="13.5" cy="18.4" r="6.6"/><path d="M4.5 11.8H19M4.5 9.8v4"/><path d="M18.5 11.800c4 0 7-2 9-6v12c-2-4-5-6-9-6Z" fill="#14171F" stroke-width="1.5"/></g></svg>`;

export const iconPath = '/assets/posthorn.svg';

/** The mark, for tabs. Browsers that look for /favicon.ico by themselves take it as well. */
export const iconRoutes = (): Router =>
  Router().get([iconPath, '/favicon.ico'], (_req, res) => {
    res.setHeader('cache-control', 'public, max-age=86400');
    res.type('svg').send(svg);
  });
