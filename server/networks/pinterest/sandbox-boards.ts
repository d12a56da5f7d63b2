import type { Request, Response, Router } from 'express';
import { invalid, refuse, type SignedIn } from './sandbox-access.ts';

const boards = [
  { id: '549755885175', name: 'Recipes' },
  { id: '549755885176', name: 'Travel' },
];
const section = { id: '549755900001', name: 'Bread', board: '549755885175' };

export const isBoard = (id: unknown) => boards.some((board) => board.id === id);
export const hasSection = (board: unknown, one: unknown) => board === section.board && one === section.id;

/** One page of a list. */
export const page = (req: Request, res: Response, all: readonly object[]) => {
  const size = Number(req.query.page_size ?? 25);
  const start = Number(req.query.bookmark ?? 0);
  if (!Number.isInteger(size) || size < 1 || size > 250) return invalid(res, `page_size: ${size} is not 1 to 250`);
  const end = start + size;
  res.send({ items: all.slice(start, end), bookmark: end < all.length ? String(end) : null });
};

/** Everybody has the same boards. */
export const mountBoards = (api: Router, signedIn: SignedIn) => {
  api.get(
    '/v5/boards',
    signedIn(['boards:read'], async (req, res, { person }) => {
      const owner = { username: person.handle };
      page(
        req,
        res,
        boards.map((board) => ({ ...board, description: '', owner, privacy: 'PUBLIC' })),
      );
    }),
  );

  api.get(
    '/v5/boards/:board/sections',
    signedIn(['boards:read'], async (req, res) => {
      if (!isBoard(req.params.board)) return refuse(res, 404, 40, 'Board not found.');
      page(req, res, hasSection(req.params.board, section.id) ? [{ id: section.id, name: section.name }] : []);
    }),
  );
};
