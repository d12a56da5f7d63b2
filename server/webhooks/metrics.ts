/** What operators watch. */
export interface DeliveryFigures {
  tried(result: 'ok' | 'failed' | 'givenUp'): void;
}
