export interface ReadMetrics {
  read(network: string, result: 'ok' | 'postponed' | 'stopped', posts: number): void;
}
