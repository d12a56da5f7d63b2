// Replaced by the version.ts that emit-sdk.ts prints.
export const version: string = '0.0.0';
