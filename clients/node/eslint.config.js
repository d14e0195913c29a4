import js from "@eslint/js";
import typescript from "typescript-eslint";

export default typescript.config(
  { ignores: ["dist", "node_modules", "test/package", "test/readme.mjs"] },
  js.configs.recommended,
  ...typescript.configs.strictTypeChecked.map((one) => ({ ...one, files: ["**/*.ts"] })),
  {
    files: ["**/*.ts"],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "max-lines": ["error", 300],
      "no-control-regex": "off", // The protocol's escapes are control characters.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: ["test"] }],
      "@typescript-eslint/only-throw-error": "off", // An AbortSignal's reason may be anything.
      "@typescript-eslint/prefer-promise-reject-errors": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off", // Rows have the caller's type.
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/unified-signatures": "off",
    },
  },
);
