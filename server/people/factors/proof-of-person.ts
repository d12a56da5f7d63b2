import type { FactorQuestion } from '#contracts/passkeys';
import type { PasswordTries } from '#server/access/auth/password-tries';
import { signInAgain } from '#server/access/auth/sign-ins';
import { badInput } from '#server/base/errors';
import type { ProofOfPerson, SignedIn } from '#server/base/signed-in';
import { isWrongPassword, type People } from '#server/people/workspaces/people';
import type { Factors } from './factors.ts';

/** Asks for the password or a code. */
export const createProofOfPerson = ({
  people,
  factors,
  tries,
}: {
  people: People;
  factors: Factors;
  tries: PasswordTries;
}): ProofOfPerson => {
  /**
   * A person who came by a one-time link may have lost the password, so it is not asked for. Without an authenticator
   * app, a recent sign-in is proof enough.
   */
  const asks = async ({ userId, byLink, isRecent }: SignedIn): Promise<FactorQuestion> => {
    if (!byLink && (await people.hasPassword(userId))) return 'password';
    if (await factors.hasTotp(userId)) return 'code';
    return isRecent ? 'nothing' : 'sign-in';
  };

  return {
    asks,

    mustProve: async (signedIn, { password, code = '' }, address) => {
      const { userId, email } = signedIn;
      const proof = await asks(signedIn);
      if (code !== '' && (proof === 'code' || (await factors.hasTotp(userId)))) {
        await factors.mustBeCode(userId, code);
        return;
      }
      if (proof === 'code') {
        throw badInput({
          path: 'code',
          code: 'Required',
          message: 'is needed: a code from your app, or a recovery code',
        });
      }
      if (proof === 'nothing') return;
      if (proof === 'sign-in') throw signInAgain();
      await tries
        .guard({ email, address }, () => people.signIn(email, password), isWrongPassword)
        .catch((error: unknown) => {
          if (!isWrongPassword(error)) throw error;
          throw badInput({ path: 'password', code: 'WrongPassword', message: 'is not your current password' });
        });
    },
  };
};
