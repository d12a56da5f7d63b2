export interface WithResponse<T> {
  data: T;
  /** Status and headers; the body is already read */
  response: Response;
  requestId: string | undefined;
  /** It is the answer of an earlier call with the same Idempotency-Key */
  replayed: boolean;
}

/** A promise of the data; `withResponse()` gives the response beside it. */
export class ApiPromise<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #answer: Promise<WithResponse<T>>;

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer;
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }

  // Created on demand: created in the constructor, its rejection would be unhandled when only withResponse() is used.
  // biome-ignore lint/suspicious/noThenProperty: being awaited is what this class is for
  then<A = T, B = never>(
    fulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected);
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled);
  }
}
