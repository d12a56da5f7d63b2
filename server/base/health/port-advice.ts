/** In the same words at the start and in doctor. */
export const portAdvice = (port: number) => `Stop that program, or choose another port with PORT=${port + 1}.`;
