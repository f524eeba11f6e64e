-- Drives a real Neovim, headless: before the user trusts a workspace no plugin starts.
-- $INIT is the user's configuration, $MODULE a root module on hashicorp/random whose plan has no changes.

local support = dofile(vim.env.SUPPORT)
local say, wait_for, test = support.say, support.wait_for, support.test

-- The plugins that the server started.
local function plugins()
  local servers = vim.fn.systemlist({ 'pgrep', '-P', tostring(vim.fn.getpid()), '-f', 'planlens lsp' })
  return #servers == 1 and vim.fn.systemlist({ 'pgrep', '-P', servers[1], '-f', 'terraform-provider' }) or {}
end

-- What was asked, with the plugins that ran then, and what the user chooses.
local asked, answer
local function choose(prompt, titles)
  asked = { prompt = prompt, plugins = plugins() }
  for index, title in ipairs(titles) do
    if title:find(answer, 1, true) then
      return index
    end
  end
end
-- Neovim asks in one of these ways.
vim.fn.inputlist = function(lines)
  return choose(lines[1], vim.list_slice(lines, 3))
end
vim.ui.select = function(items, _, done)
  done(items[choose('', vim.tbl_map(function(item) return item.title end, items))])
end

local buffer
local function first_lens()
  vim.lsp.codelens.refresh({ bufnr = buffer })
  local lens = vim.lsp.codelens.get(buffer)[1]
  return lens and lens.command and lens.command.title or ''
end

test('a no lets no plugin start, and it is told', function()
  answer = 'Not now'
  dofile(vim.env.INIT)
  vim.cmd('edit ' .. vim.env.MODULE .. '/main.tf')
  buffer = vim.api.nvim_get_current_buf()
  wait_for('question', function() return asked end)
  say('   asked:', asked.prompt)
  wait_for('lens', function() return first_lens():find('may not start', 1, true) end)
  say('   lens:', first_lens())
  assert(#asked.plugins == 0 and #plugins() == 0, vim.inspect(plugins()))
end)

test('a yes starts them, and the plan appears', function()
  asked, answer = nil, 'Trust this workspace'
  -- The next time it is asked again.
  vim.lsp.stop_client(vim.lsp.get_clients({ bufnr = buffer }))
  wait_for('end', function() return #vim.lsp.get_clients({ bufnr = buffer }) == 0 end)
  vim.cmd('edit')
  wait_for('question', function() return asked end)
  assert(#asked.plugins == 0, vim.inspect(asked))
  wait_for('lens', function() return first_lens() == 'no change' end)
  assert(#plugins() > 0)
end)

support.finish(function() end)
