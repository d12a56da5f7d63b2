import { badInput } from '#server/errors';

/** What surrounds an address when it is copied: blanks of all kinds, and letters that nobody sees. */
const around = /^[\s\p{Cf}\p{Cc}]+|[\s\p{Cf}\p{Cc}]+$/gu;

const tidyEmail = (email: string) => email.normalize('NFKC').replace(around, '');

/** The same for every way to write an address. */
export const asAccount = (email: string) => tidyEmail(email).toLowerCase();

export const checkEmail = (email: string) => {
  const tidy = tidyEmail(email);
  if (tidy.length > 254 || !/^[^\s@\p{Cf}\p{Cc}]+@[^\s@\p{Cf}\p{Cc}]+$/u.test(tidy)) {
    throw badInput({ path: 'email', code: 'BadFormat', message: 'must be an e-mail address' });
  }
  return tidy;
};
