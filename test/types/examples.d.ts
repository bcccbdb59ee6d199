// What the sites in examples use of their builders, so that what they read from the API can be
// checked without them.
declare module "next/headers" {
  export function cookies(): Promise<{ get(name: string): { value: string } | undefined }>;
  export function draftMode(): Promise<{ isEnabled: boolean }>;
}

interface RequestInit {
  next?: { tags: string[] };
}

interface ImportMeta {
  env: Record<string, string | undefined>;
}

declare const process: { env: Record<string, string | undefined> };
