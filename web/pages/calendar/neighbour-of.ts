/** Up and down stay in the day; left and right go to the next day that has something, at the nearest time. */
export const neighbourOf = (walls: readonly string[], from: number, key: string): number | undefined => {
  const here = walls[from];
  if (here === undefined) return undefined;
  const order = walls
    .map((wall, index) => ({ wall, index }))
    .sort((a, b) => a.wall.localeCompare(b.wall) || a.index - b.index);
  const day = here.slice(0, 10);
  if (key === 'ArrowUp' || key === 'ArrowDown') {
    const ofDay = order.filter(({ wall }) => wall.startsWith(day));
    const at = ofDay.findIndex(({ index }) => index === from);
    return ofDay[at + (key === 'ArrowUp' ? -1 : 1)]?.index;
  }
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  const days = [...new Set(order.map(({ wall }) => wall.slice(0, 10)))];
  const nextDay = days[days.indexOf(day) + (key === 'ArrowLeft' ? -1 : 1)];
  const minuteOf = (wall: string) => Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16));
  const distance = (wall: string) => Math.abs(minuteOf(wall) - minuteOf(here));
  return order
    .filter(({ wall }) => wall.slice(0, 10) === nextDay)
    .sort((a, b) => distance(a.wall) - distance(b.wall))[0]?.index;
};
