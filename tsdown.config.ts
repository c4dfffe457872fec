import { defineConfig, type UserConfig } from 'tsdown';

const config: UserConfig = defineConfig({
  entry: ['semconv/index.ts', 'instrumentation/index.ts'],
  format: ['esm', 'cjs'],
  unbundle: true,
  fixedExtension: true,
  dts: true,
  sourcemap: false,
  target: 'node22.15',
  platform: 'node',
  failOnWarn: true,
  checks: { legacyCjs: false },
  deps: { onlyBundle: [] },
});

export default config;
