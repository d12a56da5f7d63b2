/** What operators watch. */
export interface ReadFigures {
  read(network: string, result: 'ok' | 'postponed' | 'stopped', posts: number): void;
}
