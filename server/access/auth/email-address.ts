import { badInput } from '#server/base/errors';

/** White space and invisible characters that a copied address may have at its ends. */
const invisibleEnds = /^[\s\p{Cf}\p{Cc}]+|[\s\p{Cf}\p{Cc}]+$/gu;

const tidyEmail = (email: string) => email.normalize('NFKC').replace(invisibleEnds, '');

/** Equal for all spellings of one address. */
export const emailKey = (email: string) => tidyEmail(email).toLowerCase();

export const checkEmail = (email: string) => {
  const tidy = tidyEmail(email);
  if (tidy.length > 254 || !/^[^\s@\p{Cf}\p{Cc}]+@[^\s@\p{Cf}\p{Cc}]+$/u.test(tidy)) {
    throw badInput({ path: 'email', code: 'BadFormat', message: 'must be an e-mail address' });
  }
  return tidy;
};
