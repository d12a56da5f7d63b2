/** Every page of a list, each fetched when the previous one is consumed. */
export async function* pages<Input extends { cursor?: string }, Page extends { nextCursor?: string }>(
  input: Input,
  list: (input: Input) => PromiseLike<Page>,
): AsyncGenerator<Page, void, undefined> {
  let page = await list(input);
  yield page;
  while (page.nextCursor) {
    page = await list({ ...input, cursor: page.nextCursor });
    yield page;
  }
}
