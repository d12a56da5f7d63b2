/** What operators watch. */
export interface MessageFigures {
  tried(channel: 'mail' | 'push', result: 'sent' | 'failed' | 'refused'): void;
}
