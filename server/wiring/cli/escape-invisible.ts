/** Whoever wrote the text could move the cursor, begin a line of their own or turn its direction. */
export const escapeInvisible = (text: string) =>
  text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16).padStart(4, '0')}}`;
  });
