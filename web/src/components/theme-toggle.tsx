import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { chooseTheme, chosenTheme, type Theme, themes } from "../lib/theme.ts";
import { Icon, type Picture } from "./sprite.tsx";

const pictures: Record<Theme, Picture> = { system: "system", light: "sun", dark: "moon" };

/** Steps from the system's theme to light to dark. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(chosenTheme);
  const next = () => {
    const chosen = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <button type="button" class="icon-button" onClick={next} aria-label={t.theme[theme]} title={t.theme[theme]}>
      <Icon name={pictures[theme]} />
    </button>
  );
}
