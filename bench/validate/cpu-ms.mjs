/** CPU time since then: unlike time on the wall, it does not count what other processes use. */
export const cpuMs = (begun) => {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
};
