import type { LanguageModel } from 'ai';
import type { OutsideModel } from '#server/base/config/config';

/** Always a model object, because the SDK sends requests for a plain model name to its vendor's gateway. */
export type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>;

export const outsideModel = async ({ api, baseUrl, apiKey, model }: OutsideModel): Promise<Model> => {
  // An empty key, because without one the SDK would read it from the environment.
  if (api === 'Anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '' })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({ name: 'assistant', baseURL: baseUrl, ...(apiKey !== undefined && { apiKey }) })(
    model,
  );
};
