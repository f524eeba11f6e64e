-- The README's lines, the plugin's commands and `:checkhealth planlens`, in the Neovim that runs this: none of them warns.
local module = vim.env.MODULE
local support = dofile(vim.env.SUPPORT)
local wait_for, test = support.wait_for, support.test

vim.o.lines, vim.o.columns, vim.o.hidden = 50, 80, true
local warnings = {}
vim.deprecate = function(name) table.insert(warnings, 'deprecated: ' .. name) end
vim.notify = function(message, level)
  if (level or 0) >= vim.log.levels.WARN then
    table.insert(warnings, message)
  end
end

vim.opt.runtimepath:prepend(vim.env.PLUGIN)
vim.cmd('runtime plugin/planlens.lua')
dofile(vim.env.INIT)
vim.cmd('edit ' .. module .. '/main.tf')
local buffer = vim.api.nvim_get_current_buf()

test('the hints are there', function()
  wait_for('a client', function() return #vim.lsp.get_clients({ bufnr = buffer, name = 'planlens' }) == 1 end)
  wait_for('hints', function() return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0 end)
end)

test('the plan has a name and goes on below where it is too wide', function()
  vim.cmd('PlanlensPlan')
  local plan
  wait_for('the plan', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local shown = vim.api.nvim_win_get_buf(window)
      if vim.b[shown].planlens_uri and vim.api.nvim_buf_line_count(shown) > 3 then
        plan = window
        return true
      end
    end
  end)
  local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(plan))
  assert(name:find('plan of ' .. vim.fs.basename(module), 1, true), name)
  assert(vim.api.nvim_win_get_width(plan) == vim.o.columns, 'beside each other both are too narrow')
  assert(vim.wo[plan].breakindent and vim.wo[plan].linebreak)
  vim.api.nvim_win_close(plan, true)
end)

test('checkhealth says what it looked at', function()
  vim.cmd('checkhealth planlens')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  for _, each in ipairs({ 'Neovim ', 'planlens 0.', 'Attached', 'Inlay hints are shown', 'planlens doctor' }) do
    assert(report:find(each, 1, true), each .. ' is missing in\n' .. report)
  end
  assert(not report:find('ERROR', 1, true), report)
end)

test('nothing warned', function() assert(#warnings == 0, vim.inspect(warnings)) end)

support.finish(function() support.say(vim.inspect(vim.lsp.inlay_hint.get({ bufnr = buffer }))) end)
