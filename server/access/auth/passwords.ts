/** Imported on demand: it is a native module that most commands do not need. */
const argon2 = () => import('@node-rs/argon2');

/** argon2id with the parameters that OWASP recommends. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const passwordLength = { min: 8, max: 1024 };

export const hashPassword = async (password: string) => (await argon2()).hash(password, cost);

/** A malformed stored hash counts as a wrong password. */
export const isPassword = async (stored: string, password: string) =>
  (await argon2()).verify(stored, password).catch(() => false);
