import { defineConfig, type UserConfig } from 'tsdown';

const common: UserConfig = {
  root: import.meta.dirname,
  fixedExtension: true,
  sourcemap: false,
  target: 'node22.15',
  platform: 'node',
  failOnWarn: true,
  checks: { legacyCjs: false },
};

/** What is published: both module systems, one file per module, nothing of others inlined. */
const library: UserConfig = {
  ...common,
  entry: {
    register: 'register/index.ts',
    'register-sdk': 'register/sdk.ts',
    'instrumentation/index': 'instrumentation/index.ts',
    'processor/index': 'processor/index.ts',
    'semconv/index': 'semconv/index.ts',
  },
  format: ['esm', 'cjs'],
  unbundle: true,
  dts: true,
  deps: { onlyBundle: [] },
};

/** The command, which nobody imports. */
const command: UserConfig = {
  ...common,
  entry: { 'processor/cli/main': 'processor/cli/main.ts' },
  format: ['esm'],
  unbundle: true,
  clean: false,
  dts: false,
  deps: { onlyBundle: [] },
};

/** The preload of `run`: everything inlined, so that it works beside any OpenTelemetry SDK or none. */
const preload: UserConfig = {
  ...common,
  entry: { 'run-preload': 'register/run-preload.ts', 'observe-run': 'register/observe-run.ts' },
  format: ['esm'],
  clean: false,
  dts: false,
  minify: false,
  deps: { alwaysBundle: [/./], onlyBundle: false },
};

const configs: UserConfig[] = defineConfig([library, command, preload]) as UserConfig[];

export default configs;
