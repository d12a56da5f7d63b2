export interface MessageMetrics {
  tried(channel: 'mail' | 'push', result: 'sent' | 'failed' | 'refused'): void;
}
