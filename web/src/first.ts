import { startTheme } from "./lib/theme.ts";

// A classic script in the head: it runs before the first paint, so that a remembered theme never flashes, under a policy
// that allows no inline script.
startTheme();
