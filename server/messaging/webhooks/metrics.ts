export interface DeliveryMetrics {
  tried(result: 'ok' | 'failed' | 'givenUp'): void;
}
