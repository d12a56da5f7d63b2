/** What comes in while a save is under way goes into the next one together: under load one statement does for many. */
export const createBatch = <Item>(save: (items: readonly Item[]) => Promise<unknown>) => {
  let waiting: Item[] = [];
  let next: Promise<void> | undefined;
  let underWay: Promise<unknown> = Promise.resolve();

  const saveWaiting = async () => {
    const items = waiting;
    waiting = [];
    next = undefined;
    const saving = save(items);
    underWay = saving.catch(() => undefined);
    await saving;
  };

  return (item: Item): Promise<void> => {
    waiting.push(item);
    next ??= underWay.then(saveWaiting);
    return next;
  };
};
