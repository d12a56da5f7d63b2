import { hash, verify } from '@node-rs/argon2';

/** argon2id with the parameters OWASP asks for. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const passwordLength = { min: 8, max: 1024 };

export const hashPassword = (password: string) => hash(password, cost);

/** A malformed stored hash counts as a wrong password. */
export const isPassword = (stored: string, password: string) => verify(stored, password).catch(() => false);
