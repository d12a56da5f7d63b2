import type { LanguageModel } from 'ai';
import type { OutsideModel } from '#server/config/config';

/** A model object, never its name alone: the SDK would send a name to a gateway of its maker. */
export type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>;

export const outsideModel = async ({ api, baseUrl, apiKey, model }: OutsideModel): Promise<Model> => {
  // Whatever is left out the SDK would look for in the environment.
  if (api === 'Anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '' })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({ name: 'assistant', baseURL: baseUrl, ...(apiKey !== undefined && { apiKey }) })(
    model,
  );
};
